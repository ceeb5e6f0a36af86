import { isJsonObject, type Json } from '../text/json.ts'

/**
 * Reads `environment`: the variables that commands inherit in addition to the usual ones. @throws Error that names the
 * fault.
 */
export function readPassedVariables(written: Json): readonly string[] {
  if (!isJsonObject(written)) throw new Error('environment must be an object')
  const { pass, ...others } = written
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new Error(`environment.${unknown}: known keys are pass`)
  if (!Array.isArray(pass) || !pass.every(isName))
    throw new Error('environment.pass must be a list of names of variables; * stands for any characters')
  return pass as readonly string[]
}

function isName(name: Json): boolean {
  return typeof name === 'string' && /^[^\s=]+$/.test(name)
}
