// Manifests that several tests apply.

/** A Deployment and a Service, as a tutorial would have them. */
export const manifest = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: site
  labels:
    app: site
spec:
  replicas: 2
  selector:
    matchLabels:
      app: site
  template:
    metadata:
      labels:
        app: site
    spec:
      containers:
      - name: nginx
        image: nginx:1.27
        ports:
        - containerPort: 80
        resources:
          requests:
            cpu: 100m
            memory: 64Mi
---
apiVersion: v1
kind: Service
metadata:
  name: site
spec:
  selector:
    app: site
  ports:
  - port: 80
    targetPort: 80
`;

/** A pod that nothing owns. */
export const lonePod = `apiVersion: v1
kind: Pod
metadata:
  name: alone
  labels:
    app: alone
spec:
  containers:
  - name: main
    image: nginx
`;

/** A document that holds two objects. */
export const listManifest = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: first
  data:
    k: "1"
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: second
  data:
    k: "2"
`;
