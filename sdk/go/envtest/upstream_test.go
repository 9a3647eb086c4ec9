package envtest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	upstream "sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/sandbar-dev/sandbar/sdk/go/envtest"
)

func TestEnvironmentHasTheFieldsAndMethodsOfUpstream(t *testing.T) {
	ours, theirs := reflect.TypeFor[envtest.Environment](), reflect.TypeFor[upstream.Environment]()
	for field := range theirs.Fields() {
		if have, ok := ours.FieldByName(field.Name); field.IsExported() && (!ok || have.Type != field.Type) {
			t.Errorf("the field %s %v is missing", field.Name, field.Type)
		}
	}
	haveMethods(t, reflect.TypeFor[*envtest.Environment](), reflect.TypeFor[*upstream.Environment]())
	haveMethods(t, reflect.TypeFor[*envtest.AuthenticatedUser](), reflect.TypeFor[*upstream.AuthenticatedUser]())
}

func haveMethods(t *testing.T, ours, theirs reflect.Type) {
	t.Helper()
	for method := range theirs.Methods() {
		if have, ok := ours.MethodByName(method.Name); !ok || have.Type.NumIn() != method.Type.NumIn() {
			t.Errorf("%v: the method %s is missing", ours, method.Name)
		}
	}
}

func TestPackageHasTheNamesOfUpstream(t *testing.T) {
	ours := exportedNames(t, "github.com/sandbar-dev/sandbar/sdk/go/envtest")
	theirs := exportedNames(t, "sigs.k8s.io/controller-runtime/pkg/envtest")
	if len(theirs) < 20 {
		t.Fatalf("only %d names were read", len(theirs))
	}
	for name := range theirs {
		if !ours[name] {
			t.Errorf("%s is missing", name)
		}
	}
}

func exportedNames(t *testing.T, path string) map[string]bool {
	t.Helper()
	output, err := exec.Command("go", "list", "-f", "{{.Dir}}\n{{range .GoFiles}}{{.}}\n{{end}}", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	lines := strings.Fields(string(output))
	for _, file := range lines[1:] {
		syntax, err := parser.ParseFile(token.NewFileSet(), filepath.Join(lines[0], file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range syntax.Decls {
			addNames(names, declaration)
		}
	}
	return names
}

func addNames(names map[string]bool, declaration ast.Decl) {
	add := func(identifiers ...*ast.Ident) {
		for _, identifier := range identifiers {
			if identifier.IsExported() {
				names[identifier.Name] = true
			}
		}
	}
	switch declaration := declaration.(type) {
	case *ast.FuncDecl:
		if declaration.Recv == nil {
			add(declaration.Name)
		}
	case *ast.GenDecl:
		for _, spec := range declaration.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				add(spec.Name)
			case *ast.ValueSpec:
				add(spec.Names...)
			}
		}
	}
}
