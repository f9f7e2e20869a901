/** Builds the validators alone: all that code of src/ needs before it can be run from its source. */
import { writeValidators } from './build/validators.ts'

writeValidators()
