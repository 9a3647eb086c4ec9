package sandbartest

import "os"

// Existing returns a cluster of the service by its id.
func Existing(id string) *Cluster {
	return &Cluster{ID: id, options: Options{URL: os.Getenv("SANDBAR_URL"), Key: os.Getenv("SANDBAR_API_KEY")}}
}
