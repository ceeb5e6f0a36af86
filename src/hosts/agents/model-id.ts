import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const SCRIPT = 'script:'

/** A script is found again from wherever its run is resumed; every other model is called the same everywhere. */
export function modelId(directory: string, model: string | null): string | null {
  const script = scriptIn(model)
  return script === null ? model : `${SCRIPT}${resolve(directory, script)}`
}

/** Does what `modelId` does for the model that an agent's file names: a script beside that file goes before others. */
export function modelIdOfAgent(
  { file, directory }: { readonly file: string | null; readonly directory: string },
  model: string | null,
): string | null {
  const script = scriptIn(model)
  const beside = script === null || file === null ? null : resolve(dirname(file), script)
  return beside !== null && existsSync(beside) ? `${SCRIPT}${beside}` : modelId(directory, model)
}

function scriptIn(model: string | null): string | null {
  return (model?.startsWith(SCRIPT) && model.slice(SCRIPT.length)) || null
}
