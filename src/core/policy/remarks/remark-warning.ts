import type { RunWarning } from '../../run/warnings/run-warning.ts'
import { isDead, type PolicyRemark } from './remark.ts'

/** Turns a remark into a warning for the person who starts a run under the policy. */
export function remarkWarning(remark: PolicyRemark): RunWarning {
  const { place, message, hint } = remark
  return {
    code: isDead(remark) ? 'dead_rule' : 'wide_rule',
    place,
    message: `${place} of the policy: ${message}`,
    hint,
  }
}
