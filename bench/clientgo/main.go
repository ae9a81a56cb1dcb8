// The practical limit that kubist is measured against: client-go with N workers and no client-side throttling.
//
//	clientgo apply WORKERS FILE     server-side apply of every object in a JSON array of ConfigMaps
//	clientgo send WORKERS FILE      writes as they are: a JSON array of chains, each a list of {method, path, type,
//	                                body}; those of a chain go one after the other; the type is a PATCH's
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	if len(os.Args) != 4 || (os.Args[1] != "apply" && os.Args[1] != "send") {
		fail("usage: clientgo apply|send WORKERS FILE")
	}
	workers, err := strconv.Atoi(os.Args[2])
	check(err)
	text, err := os.ReadFile(os.Args[3])
	check(err)
	var jobs []json.RawMessage
	check(json.Unmarshal(text, &jobs))

	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	check(err)
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	check(err)
	do := apply
	if os.Args[1] == "send" {
		do = send
	}

	work := make(chan json.RawMessage)
	var done sync.WaitGroup
	var count atomic.Int64
	for range workers {
		done.Add(1)
		go func() {
			defer done.Done()
			for job := range work {
				do(client, job)
				count.Add(1)
			}
		}()
	}
	for _, job := range jobs {
		work <- job
	}
	close(work)
	done.Wait()
	fmt.Printf("%d done\n", count.Load())
}

func apply(client *kubernetes.Clientset, object json.RawMessage) {
	var head struct {
		Metadata struct{ Name, Namespace string }
	}
	check(json.Unmarshal(object, &head))
	_, err := client.CoreV1().ConfigMaps(head.Metadata.Namespace).Patch(context.Background(), head.Metadata.Name,
		types.ApplyPatchType, object, metav1.PatchOptions{FieldManager: "clientgo"})
	check(err)
}

func send(client *kubernetes.Clientset, chain json.RawMessage) {
	var writes []struct {
		Method, Path, Type string
		Body               json.RawMessage
	}
	check(json.Unmarshal(chain, &writes))
	for _, write := range writes {
		request := client.RESTClient().Verb(write.Method)
		if write.Method == "PATCH" {
			request = client.RESTClient().Patch(types.PatchType(write.Type))
		}
		check(request.RequestURI(write.Path).Body([]byte(write.Body)).Do(context.Background()).Error())
	}
}

func check(err error) {
	if err != nil {
		fail(err.Error())
	}
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, "clientgo:", message)
	os.Exit(1)
}
