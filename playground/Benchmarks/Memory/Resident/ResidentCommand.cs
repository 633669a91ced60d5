using System.CommandLine;
using System.Globalization;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Memory.Resident;

/// <summary>The hidden command by which the harness measures one allocator's resident memory in a process of its own.</summary>
internal static class ResidentCommand
{
    private const string Name = "resident-memory";

    public static IReadOnlyList<string> Arguments(string side, int objects) =>
        [Name, side, objects.ToString(CultureInfo.InvariantCulture)];

    public static Command Create(TextWriter output)
    {
        var side = new Argument<string>("side");
        var objects = new Argument<int>("objects");
        side.AcceptOnlyFromAmong([.. ResidentSide.All.Select(static side => side.Label)]);
        var command = new Command(Name, "Resident memory of one allocator.") { side, objects };
        command.Hidden = true;
        command.SetAction(parsed =>
        {
            try
            {
                var measured = ResidentSide.All.Single(candidate => candidate.Label == parsed.GetValue(side));
                PeerLibrary[] libraries = measured.Library is { } library ? [library] : [];
                StaticTls.Ensure(libraries);
                PeerLibrary.Require(libraries);
                output.WriteLine(measured.Measure(parsed.GetValue(objects)));
                return ExitCodes.Completed;
            }
            catch (BenchmarkException failure)
            {
                Console.Error.WriteLine(failure.Message);
                return ExitCodes.Failed;
            }
        });
        return command;
    }
}
