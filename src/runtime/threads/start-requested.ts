import { A_NAME, checkValue, orNothing } from '../../core/given-fields.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { Started, StartOptions, StartWithProfile } from '../views/face-options.ts'
import { inputContent } from '../views/message-content.ts'
import { startRun } from './start-run.ts'

/** A host brings the profile that it made. For a library user the named agent has one. */
export async function startRequested(runtime: Runtime, request: StartOptions | StartWithProfile): Promise<Started> {
  const start = { thread: null, carried: null }
  checkValue('start', request, ['an object', value => typeof value === 'object' && value !== null])
  checkValue('The author of start', request.author ?? null, orNothing(A_NAME))
  if ('profile' in request) return startRun(runtime, { ...start, ...request })
  const profile = runtime.agents.profileOf(request.agent)
  const input = inputContent(runtime, request.input)
  return startRun(runtime, { ...start, profile, input, author: request.author ?? null })
}
