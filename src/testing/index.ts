/** The kit for tests of what is built on Holdpoint, or beside it: `holdpoint/testing`. */
export type { Script, ScriptTurn } from '../models/script.ts'
export { openScriptedModel, scriptedModel } from '../models/scripted-model.ts'
export { openAnthropicServer } from './anthropic-server.ts'
export { type HandClock, handClock } from './hand-clock.ts'
export type { Misbehaviour, ModelServer, ModelServerOptions, RecordedRequest } from './model-server.ts'
export { openOpenAiServer } from './openai-server.ts'
export { checkAnthropicOrder, checkOpenAiOrder } from './provider-order.ts'
export { type StoreSubject, storeContract } from './store-contract.ts'
