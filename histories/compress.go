package histories

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// maxWindow is as much as any level of the usual tools needs; a file that asks
// for more memory than that is refused.
const maxWindow = 128 << 20

// Compress returns a writer that compresses into w; Close completes it and does
// not close w.
func Compress(w io.Writer) (io.WriteCloser, error) {
	// With a concurrency of one the library starts no goroutines.
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("compressing: %w", err)
	}
	return z, nil
}

// Decompress returns what r holds, decompressed where it begins as a compressed
// file does and as it is otherwise.
func Decompress(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	// An error of Peek comes back from the first read.
	if start, _ := buffered.Peek(len(zstdMagic)); !bytes.Equal(start, zstdMagic) {
		return buffered, nil
	}
	z, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, fmt.Errorf("decompressing: %w", err)
	}
	return z, nil
}
