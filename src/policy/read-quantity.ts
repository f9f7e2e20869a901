import { KubeError, Quantity } from '../kube/index.ts'

/** A quantity as a policy writes it, or what is wrong with it in words behind its name. */
export function readQuantity(written: string | number): { value?: Quantity; problem?: string } {
  try {
    return { value: Quantity.parse(written) }
  } catch (error) {
    if (error instanceof KubeError) return { problem: `cannot be read: ${error.message}` }
    throw error
  }
}
