using System.CommandLine;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace NumaSharp.Playground.Benchmarks.Udp;

/// <summary>
/// The hidden command of the process that is measured: an engine, and a socket on which the harness asks it for its counts, or to
/// send. That socket has a blocking thread, which costs nothing between requests.
/// </summary>
internal static class UdpServerCommand
{
    public const string Name = "udp-server";
    public const string Ready = "UDP-SERVER ";
    public const string Read = "read";
    public const string Send = "send";

    public static Command Create(TextWriter output)
    {
        var side = new Argument<string>("side");
        var echoes = new Argument<bool>("echoes");
        var network = new Argument<UdpNetwork>("network");
        side.AcceptOnlyFromAmong([.. UdpSide.All.Select(static one => one.Name)]);
        var command = new Command(Name, "A UDP server that is measured.") { side, echoes, network };
        command.Hidden = true;
        command.SetAction(parsed =>
        {
            using var engine = UdpSide.Of(parsed.GetRequiredValue(side)).Create(
                UdpNetworks.AddressOf(parsed.GetValue(network)));
            engine.Start(parsed.GetValue(echoes));
            using var control = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            control.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            output.WriteLine(string.Create(
                CultureInfo.InvariantCulture, $"{Ready}{engine.EndPoint.Port} {((IPEndPoint)control.LocalEndPoint!).Port}"));
            output.Flush();
            Answer(engine, control);
        });
        return command;
    }

    // Until the process is killed, which is how it ends.
    private static void Answer(Engines.IUdpEngine engine, Socket control)
    {
        var buffer = new byte[256];
        EndPoint from = new IPEndPoint(IPAddress.Any, 0);
        while (true)
        {
            var words = Encoding.ASCII.GetString(buffer, 0, control.ReceiveFrom(buffer, ref from)).Split(' ');
            if (words[0] == Send)
            {
                var target = new IPEndPoint(IPAddress.Loopback, Number(words[1]));
                var length = TimeSpan.FromMilliseconds(Number(words[3]));
                _ = Task.Run(() => engine.SendAsync(target, Number(words[2]), length));
            }

            control.SendTo(Encoding.ASCII.GetBytes(string.Create(
                CultureInfo.InvariantCulture, $"{engine.Datagrams} {GC.GetTotalAllocatedBytes(precise: false)}")), from);
        }
    }

    private static int Number(string word) => int.Parse(word, CultureInfo.InvariantCulture);
}
