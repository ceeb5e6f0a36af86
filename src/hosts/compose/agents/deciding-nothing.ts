import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { AdvanceOptions } from '../../../runtime/views/face-options.ts'
import { projectRefusals } from '../../refusals/project-refusals.ts'
import { type Call, changeVerbs } from './change-verbs.ts'

/** P1: the same face in a process of which nobody knows whether an agent started it. */
export function decidingNothing(holdpoint: Holdpoint, why: string): Holdpoint {
  const refuse: Call = async () => {
    throw projectRefusals.processNotTrusted(why)
  }
  return changeVerbs(holdpoint, (call, { decides }) => (decides ? refuse : call), {
    advance: async (runId: string, options: AdvanceOptions = {}) => {
      if (options.changes !== undefined || (options.decisions ?? []).length > 0)
        throw projectRefusals.processNotTrusted(why)
      return holdpoint.advance(runId, options)
    },
  })
}
