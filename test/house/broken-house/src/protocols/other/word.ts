export const word: number = 1
