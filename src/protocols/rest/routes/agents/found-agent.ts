import { RefusedError } from '../../../../core/errors.ts'
import { problemResponse } from '../../../http/problem.ts'
import { refusalProblem } from '../../../http/refusal-problem.ts'

const NOT_FOUND = 404

/** The same code means an agent in a body that cannot be started, which is no matter of the path. */
export async function foundAgent(look: () => Promise<object>, status = 200): Promise<Response> {
  try {
    return Response.json(await look(), { status })
  } catch (thrown) {
    if (!(thrown instanceof RefusedError) || thrown.code !== 'unknown_agent') throw thrown
    return problemResponse({ ...refusalProblem(thrown), status: NOT_FOUND })
  }
}
