// Command verify is an independent verifier of signed actions: it shares no code with nodefit, and uses only Go's
// standard library. It reads one JSON document a line, {"object": …, "keys": {id: {alg, key}}}, and prints for each
// "valid" and the digest, or "refused". With the argument explain it explains what was rendered: see explain.go.
package main

import (
	"bufio"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
)

type key struct {
	Alg string `json:"alg"`
	Key string `json:"key"`
}

type line struct {
	Object json.RawMessage `json:"object"`
	Keys   map[string]key  `json:"keys"`
}

const prefix = "krm-node-action:v1\n"
const jointPrefix = "krm-node-action:v2\n"
const maxInteger = 1<<53 - 1

var errForm = errors.New("it has no canonical form")

// canonical writes a value as RFC 8785 does, with integers alone.
func canonical(out *strings.Builder, value any) error {
	switch one := value.(type) {
	case nil:
		out.WriteString("null")
	case bool:
		out.WriteString(strconv.FormatBool(one))
	case json.Number:
		number, err := strconv.ParseInt(one.String(), 10, 64)
		if err != nil || number > maxInteger || number < -maxInteger || one.String() == "-0" {
			return errForm
		}
		out.WriteString(strconv.FormatInt(number, 10))
	case string:
		quote(out, one)
	case []any:
		out.WriteByte('[')
		for index, entry := range one {
			if index > 0 {
				out.WriteByte(',')
			}
			if err := canonical(out, entry); err != nil {
				return err
			}
		}
		out.WriteByte(']')
	case map[string]any:
		names := make([]string, 0, len(one))
		for name := range one {
			names = append(names, name)
		}
		sort.Slice(names, func(a, b int) bool { return less(names[a], names[b]) })
		out.WriteByte('{')
		for index, name := range names {
			if index > 0 {
				out.WriteByte(',')
			}
			quote(out, name)
			out.WriteByte(':')
			if err := canonical(out, one[name]); err != nil {
				return err
			}
		}
		out.WriteByte('}')
	}
	return nil
}

// less compares by UTF-16 code units.
func less(a, b string) bool {
	left, right := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
	for index := 0; index < len(left) && index < len(right); index++ {
		if left[index] != right[index] {
			return left[index] < right[index]
		}
	}
	return len(left) < len(right)
}

// quote escapes what ECMAScript's JSON.stringify escapes.
func quote(out *strings.Builder, text string) {
	short := map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}
	out.WriteByte('"')
	for _, one := range text {
		if escaped, ok := short[one]; ok {
			out.WriteString(escaped)
		} else if one < 0x20 {
			fmt.Fprintf(out, `\u%04x`, one)
		} else {
			out.WriteRune(one)
		}
	}
	out.WriteByte('"')
}

func verify(one line) (string, error) {
	decoder := json.NewDecoder(strings.NewReader(string(one.Object)))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		return "", err
	}
	signature, _ := object["signature"].(map[string]any)
	return verifySignature(object, signature, one.Keys, false)
}

// verifySignature verifies one signature of an object, or one of several of its spec alone.
func verifySignature(object, signature map[string]any, keys map[string]key, isJoint bool) (string, error) {
	alg, _ := signature["alg"].(string)
	keyID, _ := signature["keyId"].(string)
	value, _ := signature["value"].(string)
	if len(signature) != 3 {
		return "", errors.New("a signature has alg, keyId and value, and nothing else")
	}
	known, ok := keys[keyID]
	if !ok || known.Alg != alg {
		return "", errors.New("no such key")
	}
	// strict: the bytes encode to the same text again
	bytes, err := base64.RawURLEncoding.Strict().DecodeString(value)
	if err != nil || base64.RawURLEncoding.EncodeToString(bytes) != value {
		return "", errors.New("malformed signature")
	}
	secret, err := base64.StdEncoding.DecodeString(known.Key)
	if err != nil {
		secret, err = base64.RawURLEncoding.DecodeString(known.Key)
	}
	if err != nil {
		return "", err
	}
	var text strings.Builder
	text.WriteString(prefix)
	signed := map[string]any{"alg": alg, "keyId": keyID, "spec": object["spec"]}
	if isJoint {
		text.Reset()
		text.WriteString(jointPrefix)
		signed = map[string]any{"spec": object["spec"]}
	}
	if err := canonical(&text, signed); err != nil {
		return "", err
	}
	message := []byte(text.String())
	isValid := false
	switch alg {
	case "HMAC-SHA256":
		mac := hmac.New(sha256.New, secret)
		mac.Write(message)
		isValid = hmac.Equal(mac.Sum(nil), bytes)
	case "Ed25519":
		isValid = len(secret) == ed25519.PublicKeySize && ed25519.Verify(secret, message, bytes)
	}
	if !isValid {
		return "", errors.New("bad signature")
	}
	digest := sha256.Sum256(message)
	return hex.EncodeToString(digest[:])[:10], nil
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "explain" {
		explain()
		return
	}
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Buffer(make([]byte, 1<<20), 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for scanner.Scan() {
		var one line
		if err := json.Unmarshal(scanner.Bytes(), &one); err != nil {
			fmt.Fprintln(out, "refused")
			continue
		}
		if digest, err := verify(one); err != nil {
			fmt.Fprintln(out, "refused")
		} else {
			fmt.Fprintln(out, "valid", digest)
		}
	}
}
