package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/engine"
)

// execute runs a plan. There is no history if it could not be set up; an
// interruption is no error.
func (r *run) execute(ctx context.Context, one trial) (*histories.History, error) {
	opts := engine.Options{
		Run: r.id, Number: one.number, Expanded: r.Expanded, CallTimeout: r.Deadline, StopTimeout: r.Deadline,
	}
	if r.folder != nil {
		opts.Path = r.folder.History(one.name)
	}
	history, err := engine.Execute(ctx, r.target, one.plan, opts)
	if history == nil && ctx.Err() != nil {
		return nil, nil
	}
	return history, err
}

// compress replaces a history by its compressed form and returns that file.
func compress(file string) (string, error) {
	compressed := file + ".zst"
	if err := compressTo(compressed, file); err != nil {
		return "", fmt.Errorf("compressing the history: %w", err)
	}
	if err := os.Remove(file); err != nil {
		return "", fmt.Errorf("compressing the history: %w", err)
	}
	return compressed, nil
}

func compressTo(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	encoder, err := zstd.NewWriter(out)
	if err != nil {
		return err
	}
	_, err = io.Copy(encoder, in)
	return errors.Join(err, encoder.Close())
}
