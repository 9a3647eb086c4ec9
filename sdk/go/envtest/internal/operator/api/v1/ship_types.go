// Package v1 has the kind of the operator whose suite tests envtest.
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

// GroupVersion is the group and the version of the kind.
var GroupVersion = schema.GroupVersion{Group: "fleet.example.org", Version: "v1"}

var builder = (&scheme.Builder{GroupVersion: GroupVersion}).Register(&Ship{}, &ShipList{})

// AddToScheme adds the kind to a scheme.
var AddToScheme = builder.AddToScheme

// Ship is ready once it has been reconciled.
type Ship struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ShipSpec   `json:"spec,omitempty"`
	Status ShipStatus `json:"status,omitempty"`
}

// ShipSpec is the desired state of a Ship.
type ShipSpec struct {
	Sails int32 `json:"sails,omitempty"`
}

// ShipStatus is the observed state of a Ship.
type ShipStatus struct {
	IsReady bool `json:"isReady,omitempty"`
}

// ShipList is a list of ships.
type ShipList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Ship `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (s *Ship) DeepCopyObject() runtime.Object {
	copied := *s
	s.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	return &copied
}

// DeepCopyObject implements runtime.Object.
func (l *ShipList) DeepCopyObject() runtime.Object {
	copied := *l
	l.ListMeta.DeepCopyInto(&copied.ListMeta)
	copied.Items = make([]Ship, len(l.Items))
	for i := range l.Items {
		copied.Items[i] = *l.Items[i].DeepCopyObject().(*Ship)
	}
	return &copied
}
