package deps
import (
 _ "pgregory.net/rapid"
 _ "github.com/anishathalye/porcupine"
 _ "github.com/spf13/cobra"
 _ "github.com/klauspost/compress/zstd"
 _ "github.com/google/go-cmp/cmp"
 _ "github.com/rogpeppe/go-internal/testscript"
 _ "github.com/cockroachdb/datadriven"
 _ "go.etcd.io/etcd/server/v3/embed"
 _ "go.etcd.io/etcd/tests/v3/framework/integration"
 _ "golang.org/x/sync/errgroup"
 _ "github.com/schollz/progressbar/v3"
)
