import {
  A_FLAG,
  A_FUNCTION,
  A_NAME,
  AN_OBJECT,
  ANYTHING,
  checkFields,
  orNothing,
  type Rules,
} from '../../core/given-fields.ts'
import { runRefusals } from '../../core/refusals/run-refusals.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { Started, StartOptions, StartWithProfile } from '../views/face-options.ts'
import { inputContent } from '../views/message-content.ts'
import { startOnce } from './start-once.ts'
import { type StartRequest, startRun } from './start-run.ts'

/** The agent, the input and the profile have rules of their own. */
const START: Rules<StartOptions> = {
  ...{ agent: ANYTHING, input: ANYTHING, author: orNothing(A_NAME), startId: A_NAME },
}

const START_WITH_PROFILE: Rules<StartWithProfile> = {
  ...{ profile: ANYTHING, input: ANYTHING, inputId: ANYTHING, author: orNothing(A_NAME), surface: A_NAME },
  ...{ thread: AN_OBJECT, carried: AN_OBJECT, reserve: A_FLAG, task: A_FUNCTION, startId: A_NAME },
}

/** A host brings the profile that it made. For a library user the named agent has one. */
export async function startRequested(runtime: Runtime, request: StartOptions | StartWithProfile): Promise<Started> {
  const start = { thread: null, carried: null }
  if (isWithProfile(request)) {
    const { input: given, startId, ...rest } = checkFields('start', request, START_WITH_PROFILE)
    const input = given === null ? null : inputContent(runtime, given)
    return startWith(runtime, startId, { ...start, ...rest, input })
  }
  checkFields('start', request, START)
  const profile = runtime.agents.profileOf(request.agent)
  const input = inputContent(runtime, request.input)
  return startWith(runtime, request.startId, { ...start, profile, input, author: request.author ?? null })
}

async function startWith(runtime: Runtime, startId: string | undefined, request: StartRequest): Promise<Started> {
  if (startId === undefined) return startRun(runtime, request)
  if (request.thread === null) return startOnce(runtime, startId, request)
  throw runRefusals.startIdOnThread()
}

function isWithProfile(request: StartOptions | StartWithProfile): request is StartWithProfile {
  return typeof request === 'object' && request !== null && 'profile' in request
}
