using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using System.Reflection;
using NumaSharp.Playground.Benchmarks.Processes;

namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>The hidden commands by which the harness runs its own clients as processes of their own, pinned like wrk.</summary>
internal static class LoadCommand
{
    /// <summary>The line by which a client says that all of its connections are open.</summary>
    public const string Connected = "LOAD-CONNECTED";

    /// <summary>What such a process takes to start.</summary>
    public static readonly TimeSpan Start = TimeSpan.FromMilliseconds(300);

    /// <summary>How such a command is called; all of its arguments are numbers.</summary>
    public static IReadOnlyList<string> Line(string name, params IEnumerable<int> numbers) =>
        [name, .. numbers.Select(static number => number.ToString(CultureInfo.InvariantCulture))];

    /// <summary>What starts such a command.</summary>
    public static ProcessStartInfo StartInfo(IReadOnlyList<string> line)
    {
        var info = new ProcessStartInfo(Executables.DotnetHost, [Assembly.GetExecutingAssembly().Location, .. line]);

        // The compiler's second pass would take the client's only CPU for milliseconds at a time.
        info.Environment["DOTNET_TieredCompilation"] = "0";
        return info;
    }

    /// <param name="name">The command's.</param>
    /// <param name="description">What it does.</param>
    /// <param name="arguments">What it is called with.</param>
    /// <param name="output">Where its report goes.</param>
    /// <param name="run">Does it.</param>
    public static Command Create(
        string name,
        string description,
        IEnumerable<Argument<int>> arguments,
        TextWriter output,
        Func<ParseResult, LoadReport> run) =>
        Create(name, description, arguments, output, parsed => [run(parsed)]);

    /// <param name="name">The command's.</param>
    /// <param name="description">What it does.</param>
    /// <param name="arguments">What it is called with.</param>
    /// <param name="output">Where its reports go, each when it is there.</param>
    /// <param name="run">Does it, run by run.</param>
    public static Command Create(
        string name,
        string description,
        IEnumerable<Argument<int>> arguments,
        TextWriter output,
        Func<ParseResult, IEnumerable<LoadReport>> run)
    {
        var command = new Command(name, description) { Hidden = true };
        foreach (var argument in arguments)
        {
            command.Add(argument);
        }

        command.SetAction(parsed =>
        {
            try
            {
                foreach (var report in run(parsed))
                {
                    output.WriteLine(report);
                    output.Flush();
                }

                return ExitCodes.Completed;
            }
            catch (Exception failure) when (failure is BenchmarkException or SocketException)
            {
                Console.Error.WriteLine(failure.Message);
                return ExitCodes.Failed;
            }
        });
        return command;
    }
}
