#!/bin/sh
# Buildkite (.buildkite/hooks/pre-exit): deletes the sandbox of a job.
sandbar delete --label "job=buildkite-$BUILDKITE_JOB_ID"
