package worker

import (
	"errors"
	"fmt"
	"strings"

	"chainwright.example/workers/gateway"
)

// A Handler runs a job. It returns the output of the chain, or a Continue. Its context ends when the lease of the job is lost,
// because the chain was cancelled or the job runs elsewhere, and when the worker has to stop.
type Handler func(run Run) (any, error)

// Continue is returned by a handler: the chain goes on with this step.
type Continue struct {
	TypeName string
	Input    any
}

// Fatal marks an error: no further attempt can help.
type Fatal struct{ Err error }

func (f Fatal) Error() string { return f.Err.Error() }
func (f Fatal) Unwrap() error { return f.Err }

const longestMessage = 20_000

// outcomeOf runs a handler. What it returns becomes an outcome.
func outcomeOf(handler Handler, run Run) (kind string, outcome gateway.Outcome) {
	result, err := safely(handler, run)
	if err != nil {
		return failed(run.Job.Token, err)
	}
	token := run.Job.Token
	if next, ok := result.(Continue); ok {
		kind = string(gateway.Continued)
		following := gateway.Next{TypeName: next.TypeName, Input: next.Input}
		err = outcome.FromContinuedOutcome(gateway.ContinuedOutcome{Token: token, Kind: gateway.Continued, Next: following})
	} else {
		kind = string(gateway.Completed)
		err = outcome.FromCompletedOutcome(gateway.CompletedOutcome{Token: token, Kind: gateway.Completed, Output: result})
	}
	// What is no JSON is the fault of this attempt as well.
	if err != nil {
		return failed(token, err)
	}
	return kind, outcome
}

// safely turns a panic of a handler into a failed attempt.
func safely(handler Handler, run Run) (result any, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	return handler(run)
}

func failed(token string, cause error) (string, gateway.Outcome) {
	var fatal Fatal
	isFatal := errors.As(cause, &fatal)
	name := fmt.Sprintf("%T", cause)
	message := strings.ToValidUTF8(cause.Error(), "?")
	if len(message) > longestMessage {
		message = strings.ToValidUTF8(message[:longestMessage], "")
	}
	var outcome gateway.Outcome
	told := gateway.ToldError{Name: &name, Message: message}
	// Texts and a flag are always JSON.
	_ = outcome.FromFailedOutcome(gateway.FailedOutcome{Token: token, Kind: gateway.Failed, Error: told, Fatal: &isFatal})
	return string(gateway.Failed), outcome
}

// returned gives a job back; the attempt does not count.
func returned(token string) gateway.Outcome {
	var outcome gateway.Outcome
	_ = outcome.FromReturnedOutcome(gateway.ReturnedOutcome{Token: token, Kind: gateway.Returned})
	return outcome
}
