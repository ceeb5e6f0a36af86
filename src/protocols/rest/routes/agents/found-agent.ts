import { RefusedError } from '../../../../core/errors.ts'
import { problemResponse } from '../../../http/problem.ts'
import { refusalProblem } from '../../../http/refusal-problem.ts'

const NOT_FOUND = 404

/** The same code means an agent in a body that cannot be started, which is no matter of the path. */
export async function foundAgent(look: () => Promise<object>, status = 200): Promise<Response> {
  return orNoAgent(async () => Response.json(await look(), { status }))
}

/** The same for an answer of any type. */
export async function orNoAgent(answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer()
  } catch (thrown) {
    if (!(thrown instanceof RefusedError) || thrown.code !== 'unknown_agent') throw thrown
    return problemResponse({ ...refusalProblem(thrown), status: NOT_FOUND })
  }
}
