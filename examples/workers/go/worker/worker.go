// Package worker claims jobs from a Chainwright gateway and runs them.
package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"chainwright.example/workers/gateway"
)

// Options of a worker.
type Options struct {
	URL, Key, Name string
	Handlers       map[string]Handler
	// Slots is how many jobs run at a time.
	Slots int
	Lease time.Duration
	// Wait is how long a request waits for a job; at most 30 s.
	Wait time.Duration
	// Grace is how long handlers may go on when the worker stops.
	Grace time.Duration
	// Report is told what happens to jobs: "claimed", then "settled" (with the kind of its outcome) or "lost", or "returning" and then
	// "returned" or "lost", unless the reply does not arrive.
	Report func(event string, job gateway.Job, detail string)
}

// A Run is a job, and the context in which it runs.
type Run struct {
	Context context.Context
	Job     gateway.Job
}

type worker struct {
	Options
	api    *api
	leases leases
	fail   func(error)
}

// Work runs jobs until the context ends. Then handlers have the grace to end, and jobs that still run are given back. It returns
// an error if the gateway refuses to hand out jobs, for example because the key is wrong.
func Work(ctx context.Context, options Options) error {
	api, err := newAPI(options.URL, options.Key, options.Name)
	if err != nil {
		return err
	}
	stopping, stop := context.WithCancel(ctx)
	defer stop()
	running, end := context.WithCancel(context.Background())
	defer end()
	var once sync.Once
	var failure error
	w := worker{Options: options, api: api, leases: leases{held: make(map[string]held)}}
	w.fail = func(err error) {
		once.Do(func() { failure = err })
		stop()
	}
	go w.leases.renew(running, api, options.Lease)
	var slots sync.WaitGroup
	for slot := 0; slot < options.Slots; slot++ {
		slots.Add(1)
		go func() {
			defer slots.Done()
			w.work(stopping, running)
		}()
	}
	<-stopping.Done()
	ended := make(chan struct{})
	go func() {
		slots.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(options.Grace):
	}
	w.giveBack(w.leases.jobs()...)
	return failure
}

// work is a slot. It hands in the outcome of its job and claims the next one in one request.
func (w *worker) work(stopping, running context.Context) {
	for stopping.Err() == nil {
		reply, err := w.send(stopping, stopping, nil, w.Wait)
		if err != nil {
			w.failUnless(stopping, err)
			return
		}
		for job := w.take(reply.Jobs); job != nil; {
			if stopping.Err() != nil {
				w.leases.hold(*job, func() {}) // It is given back with the others.
				break
			}
			job, err = w.runAndClaim(stopping, running, *job)
			if err != nil {
				w.failUnless(running, err)
				return
			}
		}
	}
}

// runAndClaim runs a job, hands in its outcome, and returns the next job, if there is one at once.
func (w *worker) runAndClaim(stopping, running context.Context, job gateway.Job) (*gateway.Job, error) {
	ctx, cancel := context.WithCancel(running)
	w.leases.hold(job, cancel)
	defer w.leases.drop(job.Token)
	kind, outcome := outcomeOf(w.Handlers[job.TypeName], Run{Context: ctx, Job: job})
	for tries := 0; ; tries++ {
		reply, err := w.send(stopping, running, []gateway.Outcome{outcome}, 0)
		var refused Refused
		if errors.As(err, &refused) && kind != string(gateway.Failed) && isOfOutcome(refused.Status) {
			kind, outcome = failed(job.Token, refused)
			continue
		}
		if err != nil {
			return nil, err
		}
		next := w.take(reply.Jobs)
		result := reply.Results[0]
		switch result.Status {
		case gateway.Settled:
			w.Report("settled", job, kind)
			return next, nil
		case gateway.Lost:
			w.Report("lost", job, string(*result.Reason))
			return next, nil
		case gateway.Refused:
		}
		// Nothing was written and the job is still leased: its outcome is handed in once more, and the slot takes no other job.
		if next != nil {
			w.giveBack(*next)
		}
		if result.Error != nil && result.Error.Code != "transaction-conflict" {
			kind, outcome = failed(job.Token, Refused{Code: result.Error.Code, Message: result.Error.Message})
		}
		pause(running, tries)
	}
}

// An output that is too large or does not fit is the fault of this attempt.
func isOfOutcome(status int) bool { return status == 400 || status == 413 || status == 422 }

// send sends the same again until there is a reply: an outcome that had arrived is reported as lost, and is not applied twice.
func (w *worker) send(stopping, ctx context.Context, outcomes []gateway.Outcome, wait time.Duration) (*gateway.ExchangeReply, error) {
	for tries := 0; ; tries++ {
		reply, err := w.api.exchange(ctx, outcomes, w.claim(stopping, wait))
		if err == nil || !errors.Is(err, errAway) || ctx.Err() != nil {
			return reply, err
		}
		pause(ctx, tries)
	}
}

// claim asks for a job, unless the worker stops. The reply to an outcome must not wait for a job: then wait is 0.
func (w *worker) claim(stopping context.Context, wait time.Duration) *gateway.Claim {
	if stopping.Err() != nil {
		return nil
	}
	waitMs := int(wait.Milliseconds())
	claim := gateway.Claim{Limit: 1, LeaseMs: int(w.Lease.Milliseconds()), WaitMs: &waitMs}
	for name := range w.Handlers {
		claim.Types = append(claim.Types, name)
	}
	return &claim
}

// giveBack gives jobs back, so that others need not wait until the leases end.
func (w *worker) giveBack(jobs ...gateway.Job) {
	if len(jobs) == 0 {
		return
	}
	outcomes := make([]gateway.Outcome, 0, len(jobs))
	for _, job := range jobs {
		outcomes = append(outcomes, returned(job.Token))
		w.Report("returning", job, "")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	reply, err := w.api.exchange(ctx, outcomes, nil)
	if err != nil {
		return // The leases end by themselves.
	}
	for at, result := range reply.Results {
		if result.Status == gateway.Settled {
			w.Report("returned", jobs[at], "")
		} else {
			w.Report("lost", jobs[at], "")
		}
	}
}

func (w *worker) failUnless(ended context.Context, err error) {
	if ended.Err() == nil {
		w.fail(err)
	}
}

func (w *worker) take(jobs []gateway.Job) *gateway.Job {
	if len(jobs) == 0 {
		return nil
	}
	w.Report("claimed", jobs[0], "")
	return &jobs[0]
}
