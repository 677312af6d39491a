"""Write a model in a few lines: the builder of a process, and of several that exchange messages.

Flow nodes are added by the methods of ``inside``, data and notes by those of ``contents``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bpmnsim.errors import ModelError
from bpmnsim.model import collaboration
from bpmnsim.model.contents import Node
from bpmnsim.model.draft import Draft, Expression, formal
from bpmnsim.model.inside import Inside
from bpmnsim.model.process import Model, Process


class ProcessBuilder(Inside):
    """Build a process in a few lines.

    Parameters
    ----------
    id
        Of the process.
    name
        Its label.
    dialect
        Decides how expressions are read and where new data goes (core.md section 0.1).

    Raises
    ------
    ModelError
        From every method: an id used twice, a flow across a border, an unknown keyword; with id and remedy.

    Examples
    --------
    >>> from bpmnsim.model import ProcessBuilder, parallel
    >>> b = ProcessBuilder("review")
    >>> panel = b.subprocess("panel", body=lambda p: p.start() >> p.service("score") >> p.end(),
    ...                      multi_instance=parallel(collection="reviewers", item="reviewer"))
    >>> b.start() >> panel >> b.end()
    Node(id='end')
    >>> b.model()
    Model(review; 6 nodes)

    Notes
    -----
    Design section 7. Flow ids are ``f_<source>_<target>`` (core.md section 0).
    """

    def __init__(self, id: str, *, name: str | None = None, dialect: str = "bpmn") -> None:
        draft = Draft(dialect)
        super().__init__(draft, draft.take_id(id, id))
        draft.elements[id] = Process(id=id, name=name or "", is_executable=True)

    def model(self) -> Model:
        """Return the model so far; later additions do not change it.

        Examples
        --------
        >>> b = ProcessBuilder("p")
        >>> b.model() == b.model()
        True
        """
        return Model(self._draft.in_document_order(), dialect=self._draft.dialect)

    def process(self, id: str, *, name: str | None = None) -> ProcessBuilder:
        """Return the builder of another process of the same model.

        Examples
        --------
        >>> b = ProcessBuilder("order")
        >>> tax = b.process("tax-calc")
        >>> [process.id for process in tax.model().processes]
        ['order', 'tax-calc']
        """
        other = ProcessBuilder.__new__(ProcessBuilder)
        Inside.__init__(other, self._draft, self._draft.take_id(id, id))
        self._draft.elements[id] = Process(id=id, name=name or "", is_executable=True)
        return other

    def black_box(self, id: str, *, name: str | None = None) -> str:
        """Add a pool without a process and return its id.

        Examples
        --------
        >>> ProcessBuilder("p").black_box("customer")
        'customer'
        """
        return self._pool(self._draft.take_id(id, id), name or id, "")

    def message_flow(
        self,
        source: Node | ProcessBuilder | str,
        target: Node | ProcessBuilder | str,
        *,
        message: str = "",
        name: str | None = None,
        id: str | None = None,
    ) -> str:
        """Draw a message from one pool to another and return its id; pools appear when they are needed.

        Parameters
        ----------
        source, target
            Nodes, builders of a process, or ids of black boxes.
        message, name, id
            Name of the message, label, and ``m_<source>_<target>`` where not given.

        Raises
        ------
        ModelError
            If both ends lie in one process.

        Examples
        --------
        >>> shop = ProcessBuilder("shop")
        >>> customer = shop.process("customer")
        >>> shop.message_flow(customer.send("order"), shop.start(message="order"))
        'm_order_start'
        """
        ends = [self._end(source), self._end(target)]
        if ends[0][1] == ends[1][1]:
            hint = "connect elements of one pool with a sequence flow"
            raise ModelError("a message flow joins two pools, not one", element_id=ends[0][0], hint=hint)
        flow_id = self._draft.take_id(id, f"m_{ends[0][0]}_{ends[1][0]}")
        self._draft.declared[flow_id] = collaboration.MessageFlow(
            id=flow_id,
            name=name or "",
            parent=self._collaboration(),
            source=ends[0][0],
            target=ends[1][0],
            message=self._message(message),
        )
        return flow_id

    def lane(self, id: str, members: Sequence[Node] = (), *, name: str | None = None, inside: str = "") -> str:
        """Add a lane around nodes, or inside another lane, and return its id.

        Examples
        --------
        >>> b = ProcessBuilder("p")
        >>> b.lane("clerk", [b.start(), b.user("check")])
        'clerk'
        """
        ids = tuple(node.id for node in members)
        return self.add(collaboration.Lane(id=id, name=name or id, parent=inside, members=ids))

    def correlation(self, key: str, properties: Mapping[str, Mapping[str, Expression]]) -> str:
        """Declare a correlation key of this process and return its id.

        Parameters
        ----------
        key
            Id and name of the key.
        properties
            For each property the expression that finds it in the payload, by message name.

        Examples
        --------
        >>> b = ProcessBuilder("p")
        >>> b.correlation("order", {"orderId": {"payment": "orderId", "refund": "order.id"}})
        'order'

        Notes
        -----
        core.md COR-01, COR-02.
        """
        around = self._collaboration()
        ids = []
        for name, retrievals in properties.items():
            ids.append(self._draft.new_id(name))
            pairs = tuple((self._message(message), formal(text, name)) for message, text in retrievals.items())
            self._draft.declared[ids[-1]] = collaboration.CorrelationProperty(id=ids[-1], name=name, retrievals=pairs)
        key_id = self._draft.take_id(key, key)
        self._draft.declared[key_id] = collaboration.CorrelationKey(
            id=key_id, name=key, parent=around, properties=tuple(ids)
        )
        self.add(collaboration.CorrelationSubscription(id=f"{key_id}_subscription", key=key_id))
        return key_id

    def _collaboration(self) -> str:
        if not self._draft.collaboration:
            self._draft.collaboration = self._draft.new_id("collaboration")
            self._draft.declared[self._draft.collaboration] = collaboration.Collaboration(id=self._draft.collaboration)
        return self._draft.collaboration

    def _pool(self, pool: str, name: str, process: str) -> str:
        self._draft.declared[pool] = collaboration.Participant(
            id=pool, name=name, parent=self._collaboration(), process=process
        )
        return pool

    def _end(self, end: Node | ProcessBuilder | str) -> tuple[str, str]:
        """Return the id of one end of a message flow, and that of the pool it belongs to."""
        if isinstance(end, ProcessBuilder):
            pool = self._pool_of(end._container)
            return pool, pool
        element = self._draft.find(end if isinstance(end, str) else end.id)
        if isinstance(element, collaboration.Participant):
            return element.id, element.id
        around = element
        while around.parent:
            around = self._draft.find(around.parent)
        return element.id, self._pool_of(around.id)

    def _pool_of(self, process: str) -> str:
        for element in self._draft.declared.values():
            if isinstance(element, collaboration.Participant) and element.process == process:
                return element.id
        return self._pool(self._draft.new_id(f"pool_{process}"), self._draft.find(process).name or process, process)
