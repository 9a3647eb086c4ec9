// Package controller has the reconciler of the operator whose suite tests envtest.
package controller

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	fleetv1 "github.com/sandbar-dev/sandbar/sdk/go/envtest/internal/operator/api/v1"
)

// ShipReconciler makes ships ready.
type ShipReconciler struct {
	client.Client
	Scheme *runtime.Scheme
}

// Reconcile sets the status of a ship.
func (r *ShipReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var ship fleetv1.Ship
	if err := r.Get(ctx, req.NamespacedName, &ship); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	ship.Status.IsReady = ship.Spec.Sails > 0
	return ctrl.Result{}, r.Status().Update(ctx, &ship)
}

// SetupWithManager adds the reconciler to a manager.
func (r *ShipReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&fleetv1.Ship{}).Named("ship").Complete(r)
}
