package worker

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"net/http"
	"time"

	"chainwright.example/workers/gateway"
)

// A Refused request would be refused again.
type Refused struct {
	Status        int
	Code, Message string
}

func (r Refused) Error() string { return fmt.Sprintf("%d %s: %s", r.Status, r.Code, r.Message) }

var errAway = errors.New("the gateway is away")

// api is the generated client, with the errors of the gateway as errors.
type api struct {
	client gateway.ClientWithResponsesInterface
	name   string
}

func newAPI(url, key, name string) (*api, error) {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+key)
		return nil
	}
	// Longer than the gateway waits for jobs.
	client := &http.Client{Timeout: time.Minute}
	generated, err := gateway.NewClientWithResponses(url, gateway.WithHTTPClient(client), gateway.WithRequestEditorFn(authorize))
	return &api{client: generated, name: name}, err
}

// exchange hands in outcomes, and claims a job if there is a claim. With errAway the outcomes may or may not have arrived.
func (a *api) exchange(ctx context.Context, outcomes []gateway.Outcome, claim *gateway.Claim) (*gateway.ExchangeReply, error) {
	request := gateway.ExchangeRequest{Worker: &a.name, Claim: claim}
	if len(outcomes) > 0 {
		request.Outcomes = &outcomes
	}
	response, err := a.client.ExchangeWithResponse(ctx, request)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %v", errAway, err)
	case response.JSON200 != nil:
		return response.JSON200, nil
	case response.JSON409 != nil: // The only outcome is lost.
		return response.JSON409, nil
	}
	told := firstOf(response.JSON400, response.JSON401, response.JSON403, response.JSON413, response.JSON415)
	return nil, refusal(response.StatusCode(), told)
}

// extend extends leases. It returns the tokens of those that were not extended, with the reason.
func (a *api) extend(ctx context.Context, jobs []gateway.Job) (map[string]string, error) {
	request := gateway.LeasesRequest{Worker: &a.name}
	for _, job := range jobs {
		request.Jobs = append(request.Jobs, gateway.Renewal{LeaseMs: job.LeaseMs, Token: job.Token})
	}
	response, err := a.client.ExtendLeasesWithResponse(ctx, request)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", errAway, err)
	}
	if response.JSON200 == nil {
		return nil, refusal(response.StatusCode(), firstOf(response.JSON400, response.JSON401, response.JSON403))
	}
	lost := make(map[string]string)
	for _, one := range response.JSON200.Lost {
		lost[one.Token] = one.Reason
	}
	return lost, nil
}

func firstOf(errors ...*gateway.Error) *gateway.Error {
	for _, one := range errors {
		if one != nil {
			return one
		}
	}
	return nil
}

func refusal(status int, told *gateway.Error) error {
	if told == nil {
		return fmt.Errorf("%w: status %d", errAway, status)
	}
	return Refused{Status: status, Code: told.Error.Code, Message: told.Error.Message}
}

// pause waits before the same request is sent again: longer each time, and not at the same moment as others.
func pause(ctx context.Context, tries int) {
	longest := 50 * time.Millisecond << min(tries, 5)
	select {
	case <-ctx.Done():
	case <-time.After(longest/2 + time.Duration(rand.Int63n(int64(longest)))):
	}
}

func min(one, other int) int {
	if one < other {
		return one
	}
	return other
}
