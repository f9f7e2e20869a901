export { PROOF_CODES } from './codes.ts'
export { planFindings, proofs } from './proofs.ts'
