export { PROOF_CODES } from './codes.ts'
export { type Lot, lotsIn, roomIn } from './fit/other-pods.ts'
export { planFindings, proofs } from './proofs.ts'
