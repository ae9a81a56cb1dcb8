// The practical limit that kubist is measured against: client-go with N workers and no client-side throttling.
//
//	clientgo apply WORKERS FILE     server-side apply of every object in a JSON array of ConfigMaps
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
	if len(os.Args) != 4 || os.Args[1] != "apply" {
		fail("usage: clientgo apply WORKERS FILE")
	}
	workers, err := strconv.Atoi(os.Args[2])
	check(err)
	text, err := os.ReadFile(os.Args[3])
	check(err)
	var objects []json.RawMessage
	check(json.Unmarshal(text, &objects))

	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	check(err)
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	check(err)

	work := make(chan json.RawMessage)
	var done sync.WaitGroup
	var applied atomic.Int64
	for range workers {
		done.Add(1)
		go func() {
			defer done.Done()
			for object := range work {
				apply(client, object)
				applied.Add(1)
			}
		}()
	}
	for _, object := range objects {
		work <- object
	}
	close(work)
	done.Wait()
	fmt.Printf("%d applied\n", applied.Load())
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

func check(err error) {
	if err != nil {
		fail(err.Error())
	}
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, "clientgo:", message)
	os.Exit(1)
}
