using NumaSharp.Tool;
using NumaSharp.Tool.Bench.Http;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Run;

// Before any other code runs or starts threads: a launcher must stay on its main thread.
return args switch
{
    [NodeLauncher.Verb] => NodeLauncher.Run(Console.OpenStandardInput(), Console.Error),
    [HttpServer.Verb, var side] => HttpServer.Run(side, Console.OpenStandardInput(), Console.Out),
    _ => await NumaCommand.RunAsync(args, new ToolConsole(Console.Out, Console.Error, isAscii: Locale.IsC)),
};
