// What kube-rs does with a cluster: KUBECONFIG names it, a line tells each thing tried, the exit code whether all went.
use std::{future::Future, pin::pin, process::exit};

use anyhow::{Result, bail, ensure};
use futures::{AsyncBufReadExt, StreamExt, TryStreamExt};
use k8s_openapi::{
    api::{
        apps::v1::Deployment,
        core::v1::{ConfigMap, Namespace, Pod},
    },
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client, Error,
    api::{
        ApiResource, AttachParams, DeleteParams, DynamicObject, GroupVersionKind, ListParams, LogParams, Patch,
        PatchParams, PostParams, WatchEvent, WatchParams,
    },
    runtime::{
        conditions,
        wait::await_condition,
        watcher,
        WatchStreamExt,
    },
};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const NAMESPACE: &str = "from-rust";

struct Attempts {
    failed: usize,
}

impl Attempts {
    async fn attempt(&mut self, what: &str, action: impl Future<Output = Result<()>>) {
        match tokio::time::timeout(std::time::Duration::from_secs(90), action).await {
            Ok(Ok(())) => println!("ok: {what}"),
            Ok(Err(error)) => {
                self.failed += 1;
                println!("FAILED: {what}: {error:#}");
            }
            Err(_) => {
                self.failed += 1;
                println!("FAILED: {what}: no end after 90 s");
            }
        }
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let client = Client::try_default().await?;
    let mut attempts = Attempts { failed: 0 };
    attempts.attempt("version", version(&client)).await;
    attempts.attempt("namespace", namespace(&client)).await;
    attempts.attempt("ConfigMap: create, replace, patch, apply, conflict", config_map(&client)).await;
    attempts.attempt("a refusal as Error::Api", refused(&client)).await;
    attempts.attempt("Deployment, watched until its pods are ready", deployment(&client)).await;
    attempts.attempt("pages", pages(&client)).await;
    attempts.attempt("a watcher with its cache", cached(&client)).await;
    attempts.attempt("logs followed", logs(&client)).await;
    attempts.attempt("exec with input and a status", exec(&client)).await;
    attempts.attempt("port-forward", forward(&client)).await;
    attempts.attempt("custom objects", custom(&client)).await;
    attempts.attempt("deletion, watched", deletion(&client)).await;
    exit(if attempts.failed > 0 { 1 } else { 0 })
}

async fn version(client: &Client) -> Result<()> {
    let info = client.apiserver_version().await?;
    ensure!(info.major == "1" && info.minor == "36", "{info:?}");
    Ok(())
}

async fn namespace(client: &Client) -> Result<()> {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let made = serde_json::from_value(json!({ "metadata": { "name": NAMESPACE } }))?;
    namespaces.create(&PostParams::default(), &made).await?;
    Ok(())
}

async fn config_map(client: &Client) -> Result<()> {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let made = serde_json::from_value(json!({ "metadata": { "name": "settings" }, "data": { "a": "1" } }))?;
    let first = maps.create(&PostParams::default(), &made).await?;
    let mut next = first.clone();
    next.data.get_or_insert_default().insert("b".into(), "2".into());
    maps.replace("settings", &PostParams::default(), &next).await?;
    let patched = maps
        .patch("settings", &PatchParams::default(), &Patch::Merge(json!({ "data": { "a": null } })))
        .await?;
    ensure!(patched.data.unwrap_or_default().len() == 1, "the patch took nothing away");
    let applied = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "settings" }, "data": { "c": "3" } });
    let held = maps.patch("settings", &PatchParams::apply("rust"), &Patch::Apply(applied)).await?;
    let fields = held.metadata.managed_fields.unwrap_or_default();
    ensure!(fields.iter().any(|one| one.manager.as_deref() == Some("rust")), "{fields:?}");
    match maps.replace("settings", &PostParams::default(), &first).await {
        Err(Error::Api(status)) if status.code == 409 => Ok(()),
        other => bail!("an old resourceVersion: {other:?}"),
    }
}

async fn refused(client: &Client) -> Result<()> {
    let pods: Api<Pod> = Api::namespaced(client.clone(), NAMESPACE);
    match pods.get("nobody").await {
        Err(Error::Api(status)) if status.code == 404 && status.reason == "NotFound" => Ok(()),
        other => bail!("{other:?}"),
    }
}

async fn deployment(client: &Client) -> Result<()> {
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), NAMESPACE);
    let made = serde_json::from_value(json!({
        "metadata": { "name": "web" },
        "spec": {
            "replicas": 2,
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "web", "image": "nginx:1.27", "ports": [{ "containerPort": 80 }] }] },
            },
        },
    }))?;
    deployments.create(&PostParams::default(), &made).await?;
    await_condition(deployments, "web", conditions::is_deployment_completed()).await?;
    Ok(())
}

async fn pod_name(client: &Client) -> Result<String> {
    let pods: Api<Pod> = Api::namespaced(client.clone(), NAMESPACE);
    let list = pods.list(&ListParams::default().labels("app=web")).await?;
    Ok(list.items[0].metadata.name.clone().unwrap_or_default())
}

async fn pages(client: &Client) -> Result<()> {
    let pods: Api<Pod> = Api::namespaced(client.clone(), NAMESPACE);
    let first = pods.list(&ListParams::default().limit(1)).await?;
    let token = first.metadata.continue_.clone().unwrap_or_default();
    let second = pods.list(&ListParams::default().limit(1).continue_token(&token)).await?;
    ensure!(first.items[0].metadata.name != second.items[0].metadata.name, "the same page twice");
    Ok(())
}

async fn cached(client: &Client) -> Result<()> {
    let pods: Api<Pod> = Api::namespaced(client.clone(), NAMESPACE);
    for config in [watcher::Config::default(), watcher::Config::default().streaming_lists()] {
        let mut seen = pin!(watcher(pods.clone(), config).applied_objects().take(2));
        while let Some(pod) = seen.try_next().await? {
            ensure!(pod.metadata.namespace.as_deref() == Some(NAMESPACE), "of another namespace");
        }
    }
    Ok(())
}

async fn logs(client: &Client) -> Result<()> {
    let pods: Api<Pod> = Api::namespaced(client.clone(), NAMESPACE);
    let options = LogParams { follow: true, tail_lines: Some(1), ..LogParams::default() };
    let mut lines = pods.log_stream(&pod_name(client).await?, &options).await?.lines();
    ensure!(lines.try_next().await?.is_some(), "no line");
    Ok(())
}

async fn exec(client: &Client) -> Result<()> {
    let pods: Api<Pod> = Api::namespaced(client.clone(), NAMESPACE);
    let options = AttachParams::default().stdin(true).stderr(false);
    let command = ["sh", "-c", "read line; echo got $line; exit 3"];
    let mut process = pods.exec(&pod_name(client).await?, command, &options).await?;
    let status = process.take_status();
    let mut input = process.stdin().ok_or(anyhow::anyhow!("no input"))?;
    input.write_all(b"a word\n").await?;
    input.flush().await?;
    let mut said = String::new();
    let mut output = process.stdout().ok_or(anyhow::anyhow!("no output"))?;
    output.read_to_string(&mut said).await?;
    ensure!(said == "got a word\n", "{said:?}");
    let ended = match status {
        Some(status) => status.await,
        None => None,
    };
    ensure!(format!("{ended:?}").contains("exit code 3"), "{ended:?}");
    Ok(())
}

async fn forward(client: &Client) -> Result<()> {
    let pods: Api<Pod> = Api::namespaced(client.clone(), NAMESPACE);
    let mut forwarder = pods.portforward(&pod_name(client).await?, &[80]).await?;
    let mut port = forwarder.take_stream(80).ok_or(anyhow::anyhow!("no port"))?;
    port.write_all(b"GET / HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n").await?;
    let mut answer = Vec::new();
    port.read_to_end(&mut answer).await?;
    let text = String::from_utf8_lossy(&answer);
    ensure!(text.contains("Welcome to nginx"), "{text}");
    Ok(())
}

async fn custom(client: &Client) -> Result<()> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let schema = json!({ "type": "object", "properties": { "spec": { "type": "object", "properties": { "size": { "type": "integer" } } } } });
    let definition = serde_json::from_value(json!({
        "metadata": { "name": "things.rust.example.com" },
        "spec": {
            "group": "rust.example.com",
            "scope": "Namespaced",
            "names": { "plural": "things", "singular": "thing", "kind": "Thing" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
        },
    }))?;
    definitions.create(&PostParams::default(), &definition).await?;
    await_condition(definitions.clone(), "things.rust.example.com", conditions::is_crd_established()).await?;
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("rust.example.com", "v1", "Thing"));
    let things: Api<DynamicObject> = Api::namespaced_with(client.clone(), NAMESPACE, &kind);
    let thing = DynamicObject::new("one", &kind).data(json!({ "spec": { "size": 1 } }));
    things.create(&PostParams::default(), &thing).await?;
    let patch = Patch::Merge(json!({ "spec": { "size": 2 } }));
    let patched = things.patch("one", &PatchParams::default(), &patch).await?;
    ensure!(patched.data["spec"]["size"] == 2, "the patch is not there");
    definitions.delete("things.rust.example.com", &DeleteParams::default()).await?;
    Ok(())
}

async fn deletion(client: &Client) -> Result<()> {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let listed = namespaces.list(&ListParams::default()).await?;
    let from = listed.metadata.resource_version.unwrap_or_default();
    namespaces.delete(NAMESPACE, &DeleteParams::default()).await?;
    let options = WatchParams::default().fields(&format!("metadata.name={NAMESPACE}"));
    let mut events = pin!(namespaces.watch(&options, &from).await?);
    while let Some(event) = events.try_next().await? {
        if matches!(event, WatchEvent::Deleted(_)) {
            return Ok(());
        }
    }
    bail!("the watch ended before")
}
