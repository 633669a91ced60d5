using System.CommandLine;
using System.Globalization;
using System.Net;
using NumaSharp.Playground.Benchmarks.Http.Load;

namespace NumaSharp.Playground.Benchmarks.Udp.Load;

/// <summary>
/// The hidden command of a load: a run for each line of its input, which names the server's port and two lengths in milliseconds.
/// </summary>
internal static class UdpLoadCommand
{
    private const string Name = "udp-load";

    public static IReadOnlyList<string> Arguments(UdpScenario scenario) =>
        LoadCommand.Line(Name, (int)scenario.Kind, (int)scenario.Network, scenario.Size, scenario.Amount);

    /// <summary>What asks for a run.</summary>
    /// <param name="port">The server's.</param>
    /// <param name="lead">At the start, how long replies count for the server's CPU only.</param>
    /// <param name="length">Of the part after that.</param>
    public static string Run(int port, TimeSpan lead, TimeSpan length) => string.Create(
        CultureInfo.InvariantCulture, $"{port} {(int)lead.TotalMilliseconds} {(int)length.TotalMilliseconds}");

    public static Command Create(TextWriter output)
    {
        var kind = new Argument<int>("kind");
        var network = new Argument<int>("network");
        var size = new Argument<int>("size");
        var amount = new Argument<int>("amount");
        return LoadCommand.Create(Name, "UDP load.", [kind, network, size, amount], output, parsed => Runs(
            Console.In,
            new UdpScenario(
                (UdpLoadKind)parsed.GetValue(kind), parsed.GetValue(size), parsed.GetValue(amount), Pairs: [])
            {
                Network = (UdpNetwork)parsed.GetValue(network),
            }));
    }

    private static IEnumerable<LoadReport> Runs(TextReader input, UdpScenario scenario)
    {
        var address = UdpNetworks.AddressOf(scenario.Network);
        while (input.ReadLine() is { } line)
        {
            int[] numbers = [.. line.Split(' ').Select(static word => int.Parse(word, CultureInfo.InvariantCulture))];
            var target = new IPEndPoint(address, numbers[0]);
            var (lead, length) = (TimeSpan.FromMilliseconds(numbers[1]), TimeSpan.FromMilliseconds(numbers[2]));
            yield return scenario.Kind == UdpLoadKind.Echo
                ? UdpPing.Run(target, scenario.Size, scenario.Amount, lead, length)
                : UdpFlood.Run(scenario.Network, target, scenario.Size, scenario.Amount, lead + length);
        }
    }
}
