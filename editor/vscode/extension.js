// Starts the language server for files of this language and stops it with the editor.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const command = workspace.getConfiguration("accelkit").get("server");
  client = new LanguageClient(
    "accelkit",
    "accelkit assembly",
    { command },
    { documentSelector: [{ language: "accelkit" }] },
  );
  return client.start();
};

exports.deactivate = () => client?.stop();
