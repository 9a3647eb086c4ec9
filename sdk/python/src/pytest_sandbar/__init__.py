"""Kubernetes clusters for tests, from a Sandbar service."""

from .cluster import Cluster, SandbarError, create_cluster

__all__ = ["Cluster", "SandbarError", "create_cluster"]
