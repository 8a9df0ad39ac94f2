package kube

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"

	"github.com/rvcheck/rvcheck/histories"
)

const protobufType = runtime.ContentTypeProtobuf

// protobufTypes are those that this package reads in protobuf: the built-in ones, and
// what every type of objects has.
var protobufTypes = func() *runtime.Scheme {
	known := runtime.NewScheme()
	metav1.AddToGroupVersion(known, corev1.SchemeGroupVersion)
	known.AddKnownTypes(corev1.SchemeGroupVersion, &corev1.ConfigMap{}, &corev1.ConfigMapList{}, &corev1.Secret{}, &corev1.SecretList{})
	known.AddKnownTypes(coordinationv1.SchemeGroupVersion, &coordinationv1.Lease{}, &coordinationv1.LeaseList{})
	return known
}()

var (
	protobufObjects = protobuf.NewSerializer(protobufTypes, protobufTypes)
	protobufEvents  = protobuf.NewRawSerializer(protobufTypes, protobufTypes)
)

// protobufMark begins every object in protobuf.
var protobufMark = []byte("k8s\x00")

func isProtobuf(body []byte) bool { return bytes.HasPrefix(body, protobufMark) }

// parseProtobuf reads an object into the tree that it is in JSON.
func parseProtobuf(body []byte) (tree, error) {
	object, _, err := protobufObjects.Decode(body, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("the answer is no object in protobuf: %w", err)
	}
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	parsed, err := parse(text)
	if err == nil && meta.IsListType(object) && parsed["items"] == nil {
		parsed["items"] = []any{} // protobuf has no null
	}
	return parsed, err
}

// parseAs reads an answer in the encoding that was asked for.
func parseAs(encoding string, body []byte) (tree, error) {
	if encoding == histories.Protobuf {
		return parseProtobuf(body)
	}
	return parse(body)
}

// legible is an answer in JSON, if there is one in either encoding.
func legible(body []byte) []byte {
	if !isProtobuf(body) {
		return body
	}
	parsed, err := parseProtobuf(body)
	if err != nil {
		return []byte(err.Error())
	}
	return encoded(parsed)
}

// frames are the events of a watch as they arrive. The error at the end is io.EOF, or why
// nothing more can be read.
type frames interface{ next() (frame, error) }

// framesOf reads a watch in the encoding that was asked for.
func framesOf(encoding string, body io.ReadCloser) frames {
	if encoding == histories.Protobuf {
		return protobufFrames{streaming.NewDecoder(protobuf.LengthDelimitedFramer.NewFrameReader(body), protobufEvents)}
	}
	return jsonFrames{json.NewDecoder(body)}
}

type jsonFrames struct{ *json.Decoder }

func (j jsonFrames) next() (f frame, err error) {
	err = j.Decode(&f)
	return f, err
}

type protobufFrames struct{ streaming.Decoder }

var errBareEvent = errors.New("an event whose object is in another encoding")

func (p protobufFrames) next() (frame, error) {
	var event metav1.WatchEvent
	if _, _, err := p.Decode(nil, &event); err != nil {
		return frame{}, err
	}
	if !isProtobuf(event.Object.Raw) {
		return frame{}, errBareEvent
	}
	object, err := parseProtobuf(event.Object.Raw)
	return frame{Type: event.Type, Object: object}, err
}
