// Writes a line about the words of a text: the second step of a chain, whose first step runs in Python.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"

	"chainwright.example/workers/gateway"
	"chainwright.example/workers/worker"
)

type reportInput struct {
	Text  string `json:"text"`
	Words int    `json:"words"`
	Ms    int    `json:"ms"`
}

func report(run worker.Run) (any, error) {
	var input reportInput
	if err := read(run.Job.Input, &input); err != nil {
		return nil, worker.Fatal{Err: err}
	}
	select {
	case <-run.Context.Done():
		return nil, run.Context.Err()
	case <-time.After(time.Duration(input.Ms) * time.Millisecond):
	}
	return map[string]any{"line": fmt.Sprintf("%d words in %q", input.Words, input.Text)}, nil
}

// read gives the JSON of an input its type.
func read(input any, into any) error {
	text, err := json.Marshal(input)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

var writing sync.Mutex

// tell writes one line of JSON for each event.
func tell(event string, job gateway.Job, detail string) {
	line, _ := json.Marshal(map[string]any{"event": event, "id": job.Id, "attempt": job.Attempt, "kind": detail})
	writing.Lock()
	defer writing.Unlock()
	fmt.Println(string(line))
}

func milliseconds(name string, otherwise int) time.Duration {
	given, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		given = otherwise
	}
	return time.Duration(given) * time.Millisecond
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	err := worker.Work(ctx, worker.Options{
		URL:      os.Getenv("GATEWAY_URL"),
		Key:      os.Getenv("GATEWAY_KEY"),
		Name:     fmt.Sprintf("go-%d", os.Getpid()),
		Handlers: map[string]worker.Handler{"text.report": report},
		Slots:    4,
		Lease:    milliseconds("LEASE_MS", 30_000),
		Wait:     20 * time.Second,
		Grace:    milliseconds("GRACE_MS", 10_000),
		Report:   tell,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
