// A delay line for TCP: what arrives at LISTEN reaches TARGET half of RTT later, and the answer likewise.
//
//	delayproxy LISTEN TARGET RTT      for example: delayproxy 10.77.0.2:7443 10.77.0.2:6443 20ms
//
// Prints "ready" once it listens. Bytes keep their order and are never merged or lost; bandwidth is not limited.
package main

import (
	"fmt"
	"net"
	"os"
	"time"
)

const chunkSize = 64 << 10

type chunk struct {
	due   time.Time
	bytes []byte
}

func main() {
	if len(os.Args) != 4 {
		fail("usage: delayproxy LISTEN TARGET RTT")
	}
	roundTrip, err := time.ParseDuration(os.Args[3])
	check(err)
	listener, err := net.Listen("tcp", os.Args[1])
	check(err)
	fmt.Println("ready")
	for {
		client, err := listener.Accept()
		check(err)
		go serve(client, os.Args[2], roundTrip/2)
	}
}

// serve connects at once: the handshake of TCP itself is not delayed but by the first bytes.
func serve(client net.Conn, target string, delay time.Duration) {
	server, err := net.Dial("tcp", target)
	if err != nil {
		fmt.Fprintln(os.Stderr, "delayproxy:", err)
		client.Close()
		return
	}
	go pump(client, server, delay)
	go pump(server, client, delay)
}

func pump(from, to net.Conn, delay time.Duration) {
	line := make(chan chunk, 4096)
	go func() {
		defer close(line)
		for {
			buffer := make([]byte, chunkSize)
			count, err := from.Read(buffer)
			if count > 0 {
				line <- chunk{time.Now().Add(delay), buffer[:count:count]}
			}
			if err != nil {
				return
			}
		}
	}()
	for next := range line {
		time.Sleep(time.Until(next.due))
		if _, err := to.Write(next.bytes); err != nil {
			break
		}
	}
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
	}
	for range line { // a reader that is ahead must not hang on a full line
	}
}

func check(err error) {
	if err != nil {
		fail(err.Error())
	}
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, "delayproxy:", message)
	os.Exit(1)
}
