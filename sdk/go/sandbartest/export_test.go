package sandbartest

import "os"

// Existing returns a cluster of the service by its id.
func Existing(id string) *Cluster {
	return &Cluster{ID: id, options: Options{URL: os.Getenv("SANDBAR_URL"), Key: os.Getenv("SANDBAR_API_KEY")}}
}

// ExistingAt returns a cluster of another service.
func ExistingAt(url string) *Cluster {
	return &Cluster{ID: "x", options: Options{URL: url}}
}

// Copy returns the same cluster, as another process has it.
func Copy(cluster *Cluster) *Cluster {
	return &Cluster{ID: cluster.ID, options: cluster.options}
}
