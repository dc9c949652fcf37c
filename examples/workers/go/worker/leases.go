package worker

import (
	"context"
	"sync"
	"time"

	"chainwright.example/workers/gateway"
)

// leases are the jobs in hand, with what ends the context of each.
type leases struct {
	mutex sync.Mutex
	held  map[string]held
}

type held struct {
	job    gateway.Job
	cancel context.CancelFunc
}

func (l *leases) hold(job gateway.Job, cancel context.CancelFunc) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.held[job.Token] = held{job: job, cancel: cancel}
}

func (l *leases) drop(token string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if one, ok := l.held[token]; ok {
		one.cancel()
		delete(l.held, token)
	}
}

func (l *leases) jobs() []gateway.Job {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	jobs := make([]gateway.Job, 0, len(l.held))
	for _, one := range l.held {
		jobs = append(jobs, one.job)
	}
	return jobs
}

// renew extends the leases every third of their time: two renewals may fail before a lease ends.
func (l *leases) renew(ctx context.Context, api *api, lease time.Duration) {
	ticker := time.NewTicker(lease / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		jobs := l.jobs()
		if len(jobs) == 0 {
			continue
		}
		lost, err := api.extend(ctx, jobs)
		if err != nil {
			continue // At the next turn; what is lost by then shows when its outcome is handed in.
		}
		for token, reason := range lost {
			// A row that is locked for a moment is busy, and not lost.
			if reason != "busy" {
				l.drop(token)
			}
		}
	}
}
