namespace NumaSharp.TestKit.Tests;

/// <summary>Tables of sockets as the kernel writes them.</summary>
public sealed class SocketTableTests
{
    private const string Header =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops";

    [Fact]
    public void Distinct_SocketIsListedTwice_IsOne()
    {
        string[] lines = [Header, LineOf(7, "0100007F:1F90"), LineOf(7, "0100007F:1F90"), LineOf(8, "0100007F:1F90")];

        var sockets = SocketTable.Distinct(lines).Skip(1).ToArray();

        Assert.Equal(["7", "8"], sockets.Select(static parts => parts[9]));
        Assert.All(sockets, static parts => Assert.Equal(("0100007F:1F90", "00000000:00000340"), (parts[1], parts[4])));
    }

    private static string LineOf(int inode, string address) =>
        $" 100: {address} 00000000:0000 07 00000000:00000340 00:00000000 00000000     0        0 {inode} 2 0000000000000000 0";
}
