import type { JsonObject } from '../text/json.ts'
import { type BoxWish, NO_BOX_WISH, readBoxWish } from './box-wish.ts'
import { type FetchSettings, readFetchSettings } from './fetch-settings.ts'

/** What a project says of the tools that come with Holdpoint. */
export interface ToolSettings {
  readonly fetch_url: FetchSettings
  readonly box: BoxWish
}

export const NO_TOOL_SETTINGS: ToolSettings = { fetch_url: { allow: [] }, box: NO_BOX_WISH }

/** @throws Error that names the fault. */
export function readToolSettings({ fetch_url = {}, box = {} }: JsonObject): ToolSettings {
  return { fetch_url: readFetchSettings(fetch_url), box: readBoxWish(box) }
}
