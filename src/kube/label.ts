/** Kubernetes' rules for names and labels (k8s.io/apimachinery/pkg/util/validation). */

export const LABEL_LENGTH = 63
const SUBDOMAIN_LENGTH = 253

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const QUALIFIED_PART = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/

/** Whether `text` is a DNS label (RFC 1123): at most 63 of a-z, 0-9 and -, alphanumeric at both ends. */
export function isDns1123Label(text: string): boolean {
  return text.length <= LABEL_LENGTH && DNS_LABEL.test(text)
}

/** Whether `text` is a DNS subdomain (RFC 1123): DNS labels joined by dots, at most 253 characters in all. */
export function isDns1123Subdomain(text: string): boolean {
  return text.length <= SUBDOMAIN_LENGTH && DNS_SUBDOMAIN.test(text)
}

/** Whether `text` may be the value of a label: empty, or at most 63 of A-Za-z0-9-_. with alphanumeric ends. */
export function isLabelValue(text: string): boolean {
  return text === '' || (text.length <= LABEL_LENGTH && QUALIFIED_PART.test(text))
}

/**
 * Whether `text` may be the key of a label or annotation: a name, with an optional DNS subdomain and slash before it.
 */
export function isQualifiedName(text: string): boolean {
  const parts = text.split('/')
  const name = parts.pop() ?? ''
  if (parts.length > 1) return false
  const [prefix] = parts
  if (prefix !== undefined && !isDns1123Subdomain(prefix)) return false
  return name.length <= LABEL_LENGTH && QUALIFIED_PART.test(name)
}

/** A uid as the API server makes one: a UUID in lowercase (k8s.io/apimachinery, uuid.NewUUID). */
const UID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a text is the uid of an object. */
export function isUid(text: string): boolean {
  return UID.test(text)
}
