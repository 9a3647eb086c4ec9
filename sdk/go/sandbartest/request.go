package sandbartest

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

// Error is a refusal of the service.
type Error struct {
	// Status is the HTTP status.
	Status int
	// Code is for programs: see the errors of the service's OpenAPI document. It is empty if the answer is not the service's.
	Code    string
	Message string
}

func (e *Error) Error() string {
	if e.Code == "" {
		return e.Message
	}
	return fmt.Sprintf("%s (%s)", e.Message, e.Code)
}

// maxAnswer is the limit of an answer in bytes. The service sends no larger one to a request of this package.
const maxAnswer = 64 << 20

// send sends a request to the control API. into is a pointer for JSON, a *bytes.Buffer for a text, or nil.
func (o Options) send(ctx context.Context, method, path string, body, into any) error {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, o.URL+path, content)
	if err != nil {
		return err
	}
	if o.Key != "" {
		request.Header.Set("Authorization", "Bearer "+o.Key)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	client, err := clientTrusting(o.CAFile)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return err
	}
	if answer.StatusCode >= 300 {
		return failure(answer, text)
	}
	switch target := into.(type) {
	case nil:
		return nil
	case *bytes.Buffer:
		_, err = target.Write(text)
		return err
	default:
		return json.Unmarshal(text, target)
	}
}

func failure(answer *http.Response, text []byte) error {
	var body struct {
		Error struct{ Code, Message string }
	}
	if json.Unmarshal(text, &body) == nil && body.Error.Code != "" {
		return &Error{Status: answer.StatusCode, Code: body.Error.Code, Message: body.Error.Message}
	}
	return &Error{Status: answer.StatusCode, Message: fmt.Sprintf("the service answered %s: %.200s", answer.Status, text)}
}

// clientTrusting returns a client that trusts the authorities of a file, if one is named, besides those of the system.
func clientTrusting(file string) (*http.Client, error) {
	if file == "" {
		return http.DefaultClient, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("SANDBAR_CA_FILE: %w", err)
	}
	authorities, err := x509.SystemCertPool()
	if err != nil {
		authorities = x509.NewCertPool()
	}
	if !authorities.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("SANDBAR_CA_FILE: %s has no certificate in PEM", file)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: authorities}
	// A client is made for each request, so its connection is not kept.
	transport.DisableKeepAlives = true
	return &http.Client{Transport: transport}, nil
}

// mayExist reports whether the service may have made the cluster of a creation that failed with this error.
func mayExist(err error) bool {
	var refusal *Error
	if errors.As(err, &refusal) {
		return refusal.Status >= 500 || refusal.Status == http.StatusConflict
	}
	var failed *net.OpError
	return !errors.As(err, &failed) || failed.Op != "dial"
}
