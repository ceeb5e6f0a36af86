import type { Control } from '../../ports/control.ts'
import type { House } from '../compose.ts'
import type { Bounds } from './mcp-settings.ts'

/** The controls that this server offers; what they start gets at most what the bounds say. */
export async function offeredControls(_house: House, _bounds: Bounds): Promise<readonly Control[]> {
  return []
}
