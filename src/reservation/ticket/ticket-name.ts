import { createHash } from 'node:crypto'

const STEM_LENGTH = 52
const DIGITS = 10
const HASH_LENGTH = 16

/** What a Ticket is, whatever it is called: another of any of these is another Ticket. */
export interface TicketIdentity {
  readonly namespace: string
  readonly order: string
  readonly node: string
  /** Of the node; empty where only its name counts. */
  readonly uid: string
  readonly specHash: string
  /** The fire time it was made for; empty where it is not refreshed. */
  readonly generation: string
}

/** The digits of a Ticket's name: the first ten of SHA-256 over its identity, in hex. */
export function digitsOf({ namespace, order, node, uid, specHash, generation }: TicketIdentity): string {
  return sha256([namespace, order, node, uid, specHash, generation].join('/')).slice(0, DIGITS)
}

/**
 * The name of a Ticket: `<order>-<node>` cut to 52 characters, and the digits. At most 63, since korder writes it into
 * a label of the guardian pod; never an index, since the set of nodes changes (research: korder section 5.2).
 */
export function ticketName(identity: TicketIdentity): string {
  const stem = `${identity.order}-${identity.node}`.slice(0, STEM_LENGTH).replace(/[-.]+$/, '')
  return `${stem}-${digitsOf(identity)}`
}

/** A short hash of what a guardian pod is, by which a changed template leads to new Tickets. */
export function specHash(canonicalJson: string): string {
  return sha256(canonicalJson).slice(0, HASH_LENGTH)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
