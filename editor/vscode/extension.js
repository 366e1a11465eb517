// Starts the language server for files of this language and stops it with the editor; says how to start the debugger.
const { DebugAdapterExecutable, debug, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = (context) => {
  const createDebugAdapterDescriptor = (session) =>
    new DebugAdapterExecutable(workspace.getConfiguration("accelkit").get("simulator"), ["dap"], {
      cwd: session.workspaceFolder?.uri.fsPath,
    });
  context.subscriptions.push(debug.registerDebugAdapterDescriptorFactory("accelkit", { createDebugAdapterDescriptor }));
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
