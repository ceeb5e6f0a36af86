/** Another model answers for one that fails, as an event, so that every later process asks the same. */
import { isModelError, RefusedError } from '../../core/errors.ts'
import { nextModel, standInNow } from '../../core/run/outcome/outage.ts'
import type { InferenceParameters } from '../../ports/agent/plugin.ts'
import type { RunSession } from '../session/run-session.ts'

type Switching = Pick<RunSession, 'run' | 'runtime' | 'agent' | 'stage'>

/** A model that a plugin names is asked alone. */
export function withStandIn({ run, runtime }: Switching, parameters: InferenceParameters): InferenceParameters {
  if (parameters.model !== undefined) return { ...parameters, fallbackModels: null }
  const model = standInNow(run.stand_in, runtime.clock.now())
  return model === null ? parameters : { ...parameters, model }
}

/** Stages the switch to the next model. @throws what was thrown, if none is left, or the failure is not the model's */
export async function switchModel(
  session: Switching,
  thrown: unknown,
  { model, fallbackModels }: InferenceParameters,
): Promise<void> {
  const asked = typeof model === 'string' ? model : null
  const next = nextModel(fallbackModels ?? [], asked)
  const isOfModel = isModelError(thrown) || (asked !== null && thrown instanceof RefusedError)
  if (next === null || !isOfModel) throw thrown
  const from = asked ?? (await (await session.agent()).model()).id
  session.stage('model.switched', { from, to: next, code: thrown.code, message: thrown.message })
}
