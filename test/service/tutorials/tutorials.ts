// Tutorials of the Kubernetes documentation: commands, and their documented output.

export interface Step {
  /** After `kubectl`. */
  readonly line: string;
  readonly input?: string;
  /** A pattern that the output matches in the end, errors included. The line is repeated until it does. */
  readonly says?: RegExp;
}

export interface Tutorial {
  readonly name: string;
  readonly steps: readonly Step[];
}

const apply = (input: string): Step => ({ line: "apply -f -", input });

const web = `
apiVersion: v1
kind: Service
metadata: { name: nginx, labels: { app: nginx } }
spec:
  ports: [{ port: 80, name: web }]
  clusterIP: None
  selector: { app: nginx }
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: web }
spec:
  serviceName: nginx
  replicas: 2
  selector: { matchLabels: { app: nginx } }
  template:
    metadata: { labels: { app: nginx } }
    spec:
      containers:
        - name: nginx
          image: registry.k8s.io/nginx-slim:0.21
          ports: [{ containerPort: 80, name: web }]
          volumeMounts: [{ name: www, mountPath: /usr/share/nginx/html }]
  volumeClaimTemplates:
    - metadata: { name: www }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`;

const redis = `
apiVersion: v1
kind: ConfigMap
metadata: { name: example-redis-config }
data:
  redis-config: |
    maxmemory 2mb
    maxmemory-policy allkeys-lru
---
apiVersion: v1
kind: Pod
metadata: { name: redis }
spec:
  containers:
    - name: redis
      image: redis:8.0.2
      command: [redis-server, /redis-master/redis.conf]
      ports: [{ containerPort: 6379 }]
      volumeMounts: [{ mountPath: /redis-master-data, name: data }, { mountPath: /redis-master, name: config }]
  volumes:
    - { name: data, emptyDir: {} }
    - name: config
      configMap: { name: example-redis-config, items: [{ key: redis-config, path: redis.conf }] }
`;

const pi = `
apiVersion: batch/v1
kind: Job
metadata: { name: pi }
spec:
  backoffLimit: 4
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: pi, image: "perl:5.34.0", command: [perl, "-Mbignum=bpi", "-wle", "print bpi(2000)"] }]
`;

const liveness = `
apiVersion: v1
kind: Pod
metadata: { name: liveness-exec }
spec:
  containers:
    - name: liveness
      image: registry.k8s.io/busybox:1.27.2
      args: [/bin/sh, -c, "touch /tmp/healthy; sleep 3; rm -f /tmp/healthy; sleep 600"]
      livenessProbe: { exec: { command: [cat, /tmp/healthy] }, initialDelaySeconds: 1, periodSeconds: 1, failureThreshold: 2 }
`;

const myApp = `
apiVersion: v1
kind: Pod
metadata: { name: myapp-pod }
spec:
  containers: [{ name: myapp-container, image: "busybox:1.28", command: [sh, -c, "echo The app is running! && sleep 3600"] }]
  initContainers:
    - name: init-myservice
      image: busybox:1.28
      command: [sh, -c, "until nslookup myservice.default.svc.cluster.local; do echo waiting for myservice; sleep 2; done"]
`;

const ingress = `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: example-ingress }
spec:
  ingressClassName: nginx
  rules:
    - host: hello-world.example
      http:
        paths:
          - { path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 8080 } } } }
          - { path: /v2, pathType: Prefix, backend: { service: { name: web2, port: { number: 8080 } } } }
`;

const curl = (path: string) => `exec curl -- curl -s -H "Host: hello-world.example" http://203.0.113.254${path}`;

export const tutorials: readonly Tutorial[] = [
  {
    name: "kubernetes basics",
    steps: [
      { line: "create deployment kubernetes-bootcamp --image=gcr.io/google-samples/kubernetes-bootcamp:v1" },
      { line: "get deployments", says: /kubernetes-bootcamp +1\/1 +1 +1/ },
      { line: "logs deployment/kubernetes-bootcamp", says: /^Kubernetes Bootcamp App Started/m },
      {
        line: "exec deployment/kubernetes-bootcamp -- curl -s http://localhost:8080",
        says: /^Hello Kubernetes bootcamp! \| Running on: kubernetes-bootcamp-\S+ \| v=1$/m,
      },
      { line: "expose deployment/kubernetes-bootcamp --type=NodePort --port 8080" },
      { line: "describe services/kubernetes-bootcamp", says: /NodePort: +<unset> +3\d{4}\/TCP/ },
      { line: "scale deployments/kubernetes-bootcamp --replicas=4" },
      { line: "get deployments", says: /kubernetes-bootcamp +4\/4 +4 +4/ },
      {
        line: "set image deployments/kubernetes-bootcamp kubernetes-bootcamp=docker.io/jocatalin/kubernetes-bootcamp:v2",
      },
      { line: "rollout status deployments/kubernetes-bootcamp", says: /successfully rolled out/ },
      {
        line: "set image deployments/kubernetes-bootcamp kubernetes-bootcamp=gcr.io/google-samples/kubernetes-bootcamp:v10",
      },
      { line: "get pods", says: /ErrImagePull|ImagePullBackOff/ },
      { line: "rollout undo deployments/kubernetes-bootcamp" },
      { line: "rollout status deployments/kubernetes-bootcamp", says: /successfully rolled out/ },
      { line: "exec deployment/kubernetes-bootcamp -- curl -s http://localhost:8080", says: /v=2$/m },
    ],
  },
  {
    name: "a stateless application",
    steps: [
      { line: "create deployment nginx-deployment --image=nginx:1.14.2 --replicas=2" },
      { line: "rollout status deployment/nginx-deployment", says: /successfully rolled out/ },
      { line: "set image deployment/nginx-deployment nginx=nginx:1.16.1" },
      { line: "rollout status deployment/nginx-deployment", says: /successfully rolled out/ },
      {
        line: "get pods -l app=nginx-deployment -o jsonpath={.items[*].spec.containers[*].image}",
        says: /^nginx:1\.16\.1 nginx:1\.16\.1$/,
      },
      { line: "set image deployment/nginx-deployment nginx=nginx:1.161" },
      { line: "get pods -l app=nginx-deployment", says: /ImagePullBackOff|ErrImagePull/ },
      { line: "rollout history deployment/nginx-deployment --revision=3", says: /nginx:1\.161/ },
      { line: "rollout undo deployment/nginx-deployment --to-revision=2" },
      { line: "rollout status deployment/nginx-deployment", says: /successfully rolled out/ },
    ],
  },
  {
    name: "StatefulSet basics",
    steps: [
      apply(web),
      { line: "get pods -l app=nginx", says: /web-0 +1\/1 +Running[^]*web-1 +1\/1 +Running/ },
      { line: "exec web-0 -- sh -c hostname", says: /^web-0$/m },
      { line: "run dns-test --image=busybox:1.28 --restart=Never -- nslookup web-1.nginx" },
      {
        line: "logs dns-test",
        says: /Name: +web-1\.nginx\nAddress 1: 10\.244\.\d+\.\d+ web-1\.nginx\.default\.svc\.cluster\.local/,
      },
      { line: "get pvc -l app=nginx", says: /www-web-0 +Bound[^]*www-web-1 +Bound/ },
      { line: "exec web-0 -- sh -c 'echo \"$(hostname)\" > /usr/share/nginx/html/index.html'" },
      { line: "exec web-0 -- curl -s http://localhost/", says: /^web-0$/m },
      { line: "delete pod -l app=nginx" },
      { line: "get pods -l app=nginx", says: /web-0 +1\/1 +Running[^]*web-1 +1\/1 +Running/ },
      { line: "exec web-0 -- curl -s http://localhost/", says: /^web-0$/m },
      { line: "scale sts web --replicas=5" },
      { line: "get sts web", says: /web +5\/5/ },
    ],
  },
  {
    name: "configuring Redis by a ConfigMap",
    steps: [
      apply(redis),
      { line: "exec redis -- cat /redis-master/redis.conf", says: /^maxmemory 2mb\nmaxmemory-policy allkeys-lru\n$/ },
      { line: "get pod/redis", says: /redis +1\/1 +Running/ },
    ],
  },
  {
    name: "a Job that computes pi",
    steps: [
      apply(pi),
      { line: "wait --for=condition=complete job/pi --timeout=60s", says: /condition met/ },
      { line: "describe job pi", says: /1 Succeeded/ },
    ],
  },
  {
    name: "a liveness command",
    steps: [
      apply(liveness),
      {
        line: "describe pod liveness-exec",
        says: /Liveness probe failed: cat: can't open '\/tmp\/healthy': No such file or directory/,
      },
      { line: "describe pod liveness-exec", says: /Container liveness failed liveness probe, will be restarted/ },
      { line: "get pod liveness-exec", says: /liveness-exec +\d\/1 +\S+ +[1-9]/ },
    ],
  },
  {
    name: "init containers",
    steps: [
      apply(myApp),
      { line: "get pod myapp-pod", says: /myapp-pod +0\/1 +Init:0\/1 +0/ },
      { line: "logs myapp-pod -c init-myservice", says: /waiting for myservice/ },
      { line: "create service clusterip myservice --tcp=80:9376" },
      { line: "get pod myapp-pod", says: /myapp-pod +1\/1 +Running/ },
    ],
  },
  {
    name: "Ingress on minikube",
    steps: [
      { line: "create deployment web --image=gcr.io/google-samples/hello-app:1.0" },
      { line: "expose deployment web --type=NodePort --port=8080" },
      { line: "create deployment web2 --image=gcr.io/google-samples/hello-app:2.0" },
      { line: "expose deployment web2 --port=8080 --type=NodePort" },
      { line: "run curl --image=curlimages/curl --command -- sleep 1d" },
      apply(ingress),
      { line: "get ingress", says: /example-ingress +nginx +hello-world\.example +203\.0\.113\.254 +80/ },
      { line: "get pods -n ingress-nginx", says: /ingress-nginx-controller-\S+ +1\/1 +Running/ },
      { line: curl("/"), says: /^Hello, world!\nVersion: 1\.0\.0\nHostname: web-/ },
      { line: curl("/v2"), says: /^Hello, world!\nVersion: 2\.0\.0\nHostname: web2-/ },
    ],
  },
  {
    name: "a look at the cluster",
    steps: [
      {
        line: "get pods -n kube-system -l tier=control-plane -o name",
        says: /^pod\/etcd-node-1\npod\/kube-apiserver-node-1\npod\/kube-controller-manager-node-1\npod\/kube-scheduler-node-1\n$/,
      },
      { line: "get daemonsets -n kube-system", says: /kindnet +3 +3 +3 +3 +3[^]*kube-proxy +3 +3 +3 +3 +3/ },
      { line: "describe pod etcd-node-1 -n kube-system", says: /Controlled By: +Node\/node-1[^]*Normal +Started/ },
      { line: "top nodes", says: /node-1 +\d+m/ },
      { line: "cluster-info", says: /CoreDNS.* is running at/ },
      { line: "describe node node-1", says: /Normal +RegisteredNode/ },
    ],
  },
];
