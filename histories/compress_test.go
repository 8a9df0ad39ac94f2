package histories_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rvcheck/rvcheck/histories"
)

func compressed(t testing.TB, file []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := histories.Compress(&out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(file); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestReadCompressed(t *testing.T) {
	file := compressed(t, exampleFile(t))
	if len(file) >= len(exampleFile(t)) {
		t.Errorf("%d bytes compressed to %d", len(exampleFile(t)), len(file))
	}
	if diff := cmp.Diff(example(), read(t, file)); diff != "" {
		t.Errorf("Read differs (-want +got)\n%s", diff)
	}
}

func TestDecompressLeavesPlainFilesAlone(t *testing.T) {
	for _, file := range []string{"", "a", minimal} {
		r, err := histories.Decompress(strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || string(got) != file {
			t.Errorf("Decompress of %q gives %q, %v", file, got, err)
		}
	}
}

// TestCutCompressedFile has two histories in blocks of their own, so that a cut
// in the second leaves the first.
func TestCutCompressedFile(t *testing.T) {
	note := `{"record":"note","text":"` + string(histories.EncodeValue("w", nil, 4<<20)) + `"}` + "\n"
	file := compressed(t, []byte(minimal+`{"record":"fault","action":"kill"}`+"\n"+note))
	h := read(t, file[:len(file)-1000])
	want := &histories.History{
		Header:    histories.Header{Format: 1, Layer: histories.EtcdLayer, World: histories.Closed},
		Faults:    []histories.Fault{{Action: "kill"}},
		Truncated: true,
	}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Errorf("Read differs (-want +got)\n%s", diff)
	}
}

func TestCompressedFileCutBeforeItsFirstBlock(t *testing.T) {
	file := compressed(t, exampleFile(t))
	for end := 4; end < len(file)/2; end++ {
		_, err := histories.Read(bytes.NewReader(file[:end]), "test.zst")
		if want := "test.zst: the compressed file was cut; nothing of it can be read"; err == nil || err.Error() != want {
			t.Errorf("%d bytes: Read\n got %v\nwant %s", end, err, want)
		}
	}
}

func TestDamagedCompressedFileIsAnError(t *testing.T) {
	file := compressed(t, exampleFile(t))
	for i := 4; i < len(file); i += 7 {
		damaged := bytes.Clone(file)
		damaged[i] ^= 0x10
		h, err := histories.Read(bytes.NewReader(damaged), "test.zst")
		if err == nil && !h.Truncated && cmp.Equal(h, example()) {
			continue // a bit of the frame's header that says nothing
		}
		if err == nil && !h.Truncated {
			t.Fatalf("byte %d damaged: read as another history", i)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "test.zst:") {
			t.Errorf("byte %d damaged: %v does not name the file", i, err)
		}
	}
}
