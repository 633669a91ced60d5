namespace NumaSharp.GuestTests.Support;

/// <summary>Tests for the guest with four nodes in a row, in the namespace FourNodes; they skip everywhere else.</summary>
public abstract class FourNodeTests
{
    protected FourNodeTests() => Guest.Require(Guest.HasFourNodes, "with four nodes");

    /// <summary>Node and CPU have the same number; there is one CPU per node.</summary>
    protected static int Nodes => 4;

    protected static int DistanceOf(int from, int to) => 10 + (10 * Math.Abs(to - from));
}
