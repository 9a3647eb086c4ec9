package controller

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	fleetv1 "github.com/sandbar-dev/sandbar/sdk/go/envtest/internal/operator/api/v1"
)

var _ = Describe("Ship Controller", func() {
	newShip := func(name string, sails int32) *fleetv1.Ship {
		return &fleetv1.Ship{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
			Spec:       fleetv1.ShipSpec{Sails: sails},
		}
	}

	Context("When reconciling a resource", func() {
		It("should set the status", func() {
			ship := newShip("albatross", 3)
			Expect(k8sClient.Create(ctx, ship)).To(Succeed())
			reconciler := &ShipReconciler{Client: k8sClient, Scheme: k8sClient.Scheme()}
			_, err := reconciler.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(ship)})
			Expect(err).NotTo(HaveOccurred())
			Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(ship), ship)).To(Succeed())
			Expect(ship.Status.IsReady).To(BeTrue())
		})

		It("should be refused by the schema", func() {
			Expect(k8sClient.Create(ctx, newShip("wreck", -1))).To(MatchError(ContainSubstring("spec.sails")))
		})
	})

	Context("When a manager runs", func() {
		It("should reconcile by watches", func() {
			mgr, err := ctrl.NewManager(cfg, ctrl.Options{
				Scheme:  scheme.Scheme,
				Metrics: metricsserver.Options{BindAddress: "0"},
			})
			Expect(err).NotTo(HaveOccurred())
			Expect((&ShipReconciler{Client: mgr.GetClient(), Scheme: mgr.GetScheme()}).SetupWithManager(mgr)).To(Succeed())
			go func() {
				defer GinkgoRecover()
				Expect(mgr.Start(ctx)).To(Succeed())
			}()
			ship := newShip("tern", 1)
			Expect(k8sClient.Create(ctx, ship)).To(Succeed())
			Eventually(func(g Gomega) {
				g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(ship), ship)).To(Succeed())
				g.Expect(ship.Status.IsReady).To(BeTrue())
			}, 20*time.Second, 100*time.Millisecond).Should(Succeed())
		})
	})
})
