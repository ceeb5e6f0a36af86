import { resolve } from 'node:path'

/** A script is found again from wherever its run is resumed; every other model is called the same everywhere. */
export function modelId(directory: string, model: string | null): string | null {
  const script = model?.startsWith('script:') ? model.slice('script:'.length) : ''
  return script === '' ? model : `script:${resolve(directory, script)}`
}
