import { RefusedError } from '../errors.ts'
import { modelName, type Profile } from './profile.ts'
import { priceOf } from './usage/cost.ts'

/** A budget in dollars counts nothing of a model without a price. @throws RefusedError `no_price` */
export function refuseUnpriced(profile: Profile): void {
  const [model] = unpricedModels(profile)
  if (model !== undefined) throw noPrice(model)
}

/** The models that a run with a budget in dollars may ask, and that have no price. */
export function unpricedModels(profile: Profile): readonly string[] {
  const { stop, model_settings, context, prices = {} } = profile
  if (!stop.some(({ type }) => type === 'budget')) return []
  const models = [modelName(profile), ...(model_settings?.fallback_models ?? []), context?.model]
  return [...new Set(models.filter(model => model != null))].filter(model => priceOf(model, prices) === null)
}

function noPrice(model: string): RefusedError {
  const price = JSON.stringify({ [model]: { input: 3, output: 15, cached_input: 0.3 } })
  return new RefusedError(
    'no_price',
    `The run has a budget in dollars, and its model ${model} has no price. Nothing was changed.`,
    {
      hint: `Add what a million of its tokens cost to the prices of the project, like ${price}, or limit the run by token_budget.`,
      details: { model },
    },
  )
}
